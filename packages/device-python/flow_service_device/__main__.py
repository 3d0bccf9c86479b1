"""`python -m flow_service_device`: pairs this board, and tries it."""

from .device import main

main()
