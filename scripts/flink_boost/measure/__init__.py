"""What is run and what is kept: plan, forks, results store, the model of facts."""
