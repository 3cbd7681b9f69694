// Why a download does not move, as the node says it (src/services/downloads/reasons/explain-codes.ts): shown by codes
// in other languages. `_detail` follows where its parameters are known.

/** Texts by the codes that the node answers with. */
export const english = {
  load_failed: 'It could not be loaded.',
  load_failed_detail: 'The error: {{error}}',
  loading: 'It is still being loaded after the start.',
  volume_stalled: 'The disk of its files does not answer. The download goes on by itself when the disk does.',
  volume_stalled_detail: 'It is mounted at {{mount}}.',
  disk_full: 'The disk is full. The download goes on by itself when there is space.',
  disk_errors: 'Its disk reports errors. What failed is tried again for a minute; then the download stops.',
  foreign_file:
    'Another file is in its place. Move that file away, choose another folder or deselect the file; or resume with overwrite to replace it.',
  failed: 'An error stopped it. Resume to try again.',
  failed_detail: 'The error: {{error}}',
  file_changed:
    'Another program changed its files. They are checked before they are shared again, and what is damaged is downloaded again.',
  file_changed_detail: 'Changed: {{files}}.',
  seeding_goal_reached: 'It has reached its seeding goal (ratio or time). Resume to seed on.',
  stopped: 'Paused. Resume to continue.',
  queued: 'Queued: others go first (settings active_*).',
  queued_detail: 'It is number {{place}} in line.',
  moving_storage: 'Its files are being moved; reading and writing wait until that is done.',
  waiting_for_check: 'It waits for its turn to check its data (setting active_checking).',
  checking: 'Its data is being checked.',
  allocating: 'Space for its files is being allocated.',
  no_relays_known: 'It needs circuits, and no relay is known yet.',
  no_relays_known_detail: 'The last failure: {{failure}}',
  no_exits_known: 'It needs circuits, and no exit node is known yet.',
  no_exits_known_detail: 'The last failure: {{failure}}',
  building_circuits: 'It needs circuits; the first are being built.',
  building_circuits_detail: 'The last failure: {{failure}}',
  waiting_for_metadata: 'Waiting for metadata: a peer that has it is needed.',
  nobody_reads: 'Watch and forget: data is downloaded only while somebody plays it.',
  nothing_selected: 'No file is selected.',
  web_seeds_failing: 'None of its web seeds delivers what is missing.',
  no_trackers: 'It has no tracker, and the DHT is off or not allowed for it. Add a tracker or turn on the DHT.',
  tracker_refused: 'Its tracker refuses this torrent. Get a new torrent file where this one came from, or ask there.',
  tracker_refused_detail: 'The tracker {{tracker}} said: {{words}}',
  private_without_tracker: 'It is private, so only its trackers may name peers, and none of them answers.',
  private_without_tracker_detail: 'The error of {{tracker}}: {{words}}',
  no_tracker_answers: 'None of its trackers answers.',
  no_tracker_answers_detail: 'The error of {{tracker}}: {{words}}',
  trackers_pending: 'Its trackers have not answered yet.',
  no_peers_known: 'No peers found yet.',
  interface_gone:
    'Nothing is sent: the network interface that the node is bound to has no address (setting interface).',
  proxy_failing: 'The proxy does not answer, or refuses the node.',
  all_filtered: 'Every known peer is blocked by the IP filter or banned (settings ip_filter, banned_peers).',
  all_blocked: 'Every known peer is banned or filtered.',
  encryption_required:
    'Peers end the handshake: they may not support encryption, which is required (setting encryption).',
  encryption_off: 'Peers end the handshake: they may require encryption, which is off (setting encryption).',
  connection_limit: 'The connection limit is reached (setting max_connections).',
  connecting: 'Connecting to peers.',
  nobody_reachable: 'Peers are known, but none of them can be reached now.',
  pieces_nobody_has: 'No connected peer has some of the missing pieces.',
  nothing_offered: 'No connected peer has any of the missing pieces.',
  all_choke: 'Every peer that has missing pieces serves others first (choked).',
  peers_silent: 'Pieces were requested, but no peer has sent any.',
  makes_way: 'It makes way: a film that is playing needs the bandwidth.',
  rate_limited: 'A speed limit holds it back.',
  nobody_interested: 'Seeding; no connected peer needs data.',
} as const

/** They by their keys, as translations have them. */
export type ExplainTexts = typeof english
