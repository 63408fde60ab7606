"""What the scenarios of the fleet are made of: a site with real parts, a scripted agent, and what must hold."""
