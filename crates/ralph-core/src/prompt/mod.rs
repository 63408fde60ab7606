//! Prompts: a brief of sections with budgets, rendered to the text an agent gets.
