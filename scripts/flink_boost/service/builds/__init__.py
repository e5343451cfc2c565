"""How a commit becomes jars that can be measured: recipes, the builder, what is kept of builds."""
