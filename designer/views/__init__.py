"""The views, one module for each thing that is seen."""
