"""How the language-model front end is made, and what is seen inside the model."""
