"""What Hydra finds by itself. Every Hydra app in the environment imports these modules: they stay light."""
