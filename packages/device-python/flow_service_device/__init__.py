"""Devices of flow-service in Python: all of it is `device`, the file that engines hand out too."""

from .device import Binding, Device, DeviceError, Dropped, Ended, Paired, Refused, Unreachable, connect, pair

__all__ = [
    "Binding",
    "Device",
    "DeviceError",
    "Dropped",
    "Ended",
    "Paired",
    "Refused",
    "Unreachable",
    "connect",
    "pair",
]
