"""Run-time adaptation: a copy of the policy learned for one hand, by rollouts of that hand (paper, section 3.4)."""
