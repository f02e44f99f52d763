"""Real BitTorrent clients, one a module, behind one interface.

Each module has a class Client, a context manager:

  Client(torrent, folder, state, address)
    Starts the client with `torrent` (path of a .torrent file), its content in
    `folder`: a seeder if the content is already there, else a leecher. `state`
    is an empty folder for the client's own files. `address` is the IP address
    it is to use. Every way but the tracker of finding peers is off.
  wait_until_complete(deadline)
    Waits until the client says that it has, and has checked, the whole content.
  leave(deadline)
    Tells the tracker that it stops. The announce may still be on its way.
  output()
    What the client said, for the report of a failure.

Leaving the `with` block ends the client at once.
"""
