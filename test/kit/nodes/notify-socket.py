"""A service manager that listens to one service: a Unix datagram socket at argv[1]; prints a line of JSON per message."""

import json
import os
import socket
import sys

listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print(json.dumps('listening'), flush=True)
while True:
    # The descriptor that systemd-notify sends to know when it was read is closed with its message.
    message, descriptors, _, _ = socket.recv_fds(listener, 65536, 8)
    for descriptor in descriptors:
        os.close(descriptor)
    print(json.dumps(message.decode()), flush=True)
