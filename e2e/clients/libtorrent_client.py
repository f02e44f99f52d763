"""libtorrent (rasterbar), the engine of qBittorrent and Deluge."""

import ipaddress

import libtorrent

_SETTINGS = {
    'enable_dht': False,
    'enable_lsd': False,
    'enable_upnp': False,
    'enable_natpmp': False,
    # Seeder and leecher have the same address.
    'allow_multiple_connections_per_ip': True,
    'alert_mask': (libtorrent.alert.category_t.status_notification |
                   libtorrent.alert.category_t.tracker_notification |
                   libtorrent.alert.category_t.error_notification),
}


class Client:

  def __init__(self, torrent, folder, state, address):
    del state  # It has no files of its own.
    host = '[%s]' % address if ipaddress.ip_address(address).version == 6 else address
    self._said = []
    # Peer exchange is an extension of its own, and left out.
    self._session = libtorrent.session(
        dict(_SETTINGS, listen_interfaces=host + ':0'), flags=0)
    parameters = libtorrent.add_torrent_params()
    parameters.ti = libtorrent.torrent_info(torrent)
    parameters.save_path = folder
    # Otherwise it may be queued, and starts only when libtorrent next looks.
    parameters.flags &= ~(libtorrent.torrent_flags.auto_managed |
                          libtorrent.torrent_flags.paused)
    self._torrent = self._session.add_torrent(parameters)

  def __enter__(self):
    return self

  def __exit__(self, *_):
    # The session ends with its last reference.
    self._torrent = None
    self._session = None

  def output(self):
    self._collect()
    return '\n'.join(self._said)

  def _collect(self):
    """Takes the alerts that wait, and returns them."""
    alerts = self._session.pop_alerts() if self._session else []
    self._said += ['%s: %s' % (alert.what(), alert.message()) for alert in alerts]
    return alerts

  def _wait_for_alert(self, kind, deadline):
    while not any(isinstance(alert, kind) for alert in self._collect()):
      if deadline.passed():
        raise AssertionError('libtorrent gave no %s in time; it said:\n%s' %
                             (kind.__name__, self.output()))
      self._session.wait_for_alert(int(deadline.remaining() * 1000))

  def wait_until_complete(self, deadline):
    self._wait_for_alert(libtorrent.torrent_finished_alert, deadline)

  def leave(self, deadline):
    # Not remove_torrent() and the end of the session, which may drop the last
    # announce of a UDP tracker before it is sent.
    self._torrent.pause()
    self._wait_for_alert(libtorrent.torrent_paused_alert, deadline)
