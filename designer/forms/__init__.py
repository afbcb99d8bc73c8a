"""Forms: the shape of what one gesture sends. Whether it fits the pipeline is for the actions."""
