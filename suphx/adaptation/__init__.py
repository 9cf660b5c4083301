"""Run-time policy adaptation: fine-tune a copy of the policy for one hand on rollouts of it (paper, section 3.4)."""
