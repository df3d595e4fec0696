"""TFQMR: exchanges and scalar products, tuned together by one timer."""
