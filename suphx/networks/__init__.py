"""The five networks: architecture, packed planes, precision, weights, export."""
