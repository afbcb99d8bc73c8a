"""Tools: what a model is offered, and what answers its calls."""
