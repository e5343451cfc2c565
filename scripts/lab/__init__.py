"""How well detection works, and how that is measured; in the source tree only, in no wheel."""
