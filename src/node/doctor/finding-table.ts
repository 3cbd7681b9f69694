// What `tributary doctor` can find of the core, by codes. The dashboard has the same codes in other languages
// (src/web/texts/node/findings.ts). Chapters have tables of their own.

import { findingsOf, fine, problem, warning } from './finding.ts'

const RENEW = 'Renew it; a node that runs takes the new one by itself.'
const SET_CLOCK = 'Set it, and let it be kept right (systemd-timesyncd, chrony).'
const OTHER_PORT = 'End that program, or set {setting} to another port.'
const RESTORE =
  'Stop the node, then restore a copy, or move the file and its note (.made) away to start empty (downloads must be added again, their files stay).'
const MORE_FILES =
  'Raise it (ulimit -n {needed}; LimitNOFILE={needed} for systemd; --ulimit nofile={needed} for containers), or lower libtorrent.max_connections or disk.open_files.'

/** Rows by their codes. */
export const coreFindings = {
  program_alone: fine('program', 'Tributary {version} on Node {node}. No node runs here: {path}'),
  program_beside: fine('program', 'Tributary {version} on Node {node}. A node runs here (process {process}): {path}'),
  module_missing: problem(
    'program',
    'The module {module} cannot be loaded: {error}.',
    'Install the program again, for this Node version and machine (npm ci).',
  ),
  settings_ok: fine('settings', 'The settings can be used ({path}).'),
  settings_line: warning('settings', '{words}', 'Remove or correct that line.'),
  settings_unsafe: problem(
    'settings',
    '{words}',
    'Set a key (or remove its line, so that one is made), or correct the options of section api.',
  ),
  settings_unusable: problem('settings', '{error}', 'Correct it, as this user ({user}) or with the right to do so.'),
  settings_readable: warning(
    'permissions',
    'The configuration file {path}, which holds the key, can be read by other users.',
    'chmod 600 {path}',
  ),
  folder_is_none: problem('permissions', 'The {role} {path} is not a folder.', 'Set {setting} to a folder.'),
  folder_read_only: problem(
    'mounts',
    'The {role} {path} lies on a read-only file system ({type} at {mount}).',
    'Mount it for writing, or set {setting} to another folder.',
  ),
  folder_open_to_others: warning(
    'permissions',
    'The {role} {path} can be entered by other users of this machine. Its files of keys are closed to them.',
    'chmod 700 {path} (not where others are to read downloads in it).',
  ),
  folder_missing: problem(
    'permissions',
    'The {role} {path} is not there.',
    'Make it, mount what belongs there, or change {setting}.',
  ),
  folder_to_be_made: fine('permissions', 'The {role} {path} will be created.'),
  folder_not_made: problem(
    'permissions',
    'The {role} {path} is not there and cannot be made: {above}: {error}.',
    'Give this user ({user}) the right to write to {above}, or change {setting}.',
  ),
  folder_writable: fine('permissions', 'The {role} {path} can be written to.'),
  folder_not_writable: problem(
    'permissions',
    'Nothing can be written to the {role} {path}: {error}.',
    'Give this user ({user}) the right to write there, or change {setting}.',
  ),
  folder_full: problem(
    'permissions',
    'Nothing can be written to the {role} {path}: {error}.',
    'Make room on its disk, or raise the quota.',
  ),
  watched_not_writable: warning(
    'permissions',
    'Nothing can be written to the {role} {path}: {error}.',
    'Corrupt files stay there. Give this user ({user}) the right to write there, or change {setting}.',
  ),
  watched_full: warning(
    'permissions',
    'Nothing can be written to the {role} {path}: {error}.',
    'Corrupt files stay there. Make room on its disk, or raise the quota.',
  ),
  room: fine('mounts', '{free} MiB are free for the {role} {path}.'),
  room_little: problem('mounts', 'Only {free} MiB are free for the {role} {path}.', 'Make room.'),
  room_below_setting: problem(
    'mounts',
    'Only {free} MiB are free for the {role} {path}.',
    'disk.min_free_bytes asks for {wanted} MiB. Make room, or lower it.',
  ),
  room_no_inodes: problem('mounts', 'The disk of the {role} {path} has no free inodes.', 'Delete files there.'),
  state_on_network: problem(
    'mounts',
    'The {role} {path} lies on a network file system ({type} at {mount}), where databases break.',
    'Keep it on a disk of this machine (--state-dir); only downloads may lie elsewhere.',
  ),
  folder_small_files: warning(
    'mounts',
    'The {role} {path} lies on {type}: no file there can reach 4 GiB.',
    'Use another file system, such as ext4 or exfat.',
  ),
  database_none: fine('database', 'There is no database yet; the first start makes it.'),
  database_missing: problem(
    'database',
    'The database {path} is missing, though this node has made it.',
    'Restore a copy, or remove {note} beside it to start empty.',
  ),
  database_emptied: problem(
    'database',
    'The database {path} is empty, though this node has made it.',
    'Restore a copy, or remove {note} beside it to start empty.',
  ),
  database_unreachable: problem(
    'database',
    'The database {path} cannot be reached: {error}.',
    'Give this user ({user}) the right to it.',
  ),
  database_no_file: problem('database', '{path} is not a file.', 'Move it away.'),
  database_empty: fine('database', 'The database is empty; the next start fills it.'),
  database_foreign: problem('database', 'The file {path} is a database of another program.', 'Move it away.'),
  database_newer: problem(
    'database',
    'The database {path} has schema {schema}, written by a newer version; this one knows up to {known}.',
    'Install the newer version again, or restore the copy made before the upgrade (tributary.db.schema-*).',
  ),
  database_damaged: problem('database', 'The database {path} is damaged: {error}.', RESTORE),
  database_ok: fine('database', 'Database OK (schema {schema}).'),
  database_older: fine('database', 'Database OK (schema {schema}). The next start brings it to {known}, after a copy.'),
  database_locked: problem(
    'database',
    'The database {path} is locked by another program.',
    'End what has it open: a copy under way, a database browser.',
  ),
  database_locked_by: problem(
    'database',
    'The database {path} is locked by process {process}.',
    'End what has it open: a copy under way, a database browser.',
  ),
  database_not_opened: problem(
    'database',
    'The database {path} cannot be read: {error}.',
    'See the lines about its folder; this user ({user}) must be able to write there.',
  ),
  database_unreadable: warning(
    'database',
    'The database {path} cannot be read: {error}.',
    'Try again; if it stays so, look into the log of the node.',
  ),
  clock_ok: fine('clock', 'The clock says {time}.'),
  clock_wrong: problem('clock', 'The clock of this machine is wrong: it says {time}.', SET_CLOCK),
  clock_set_back: warning(
    'clock',
    'The clock says {time}, but the node wrote something at {written}: it was set back.',
    SET_CLOCK,
  ),
  certificate_ok: fine('certificate', 'The certificate {path} ends on {time}.'),
  certificate_soon_over: warning('certificate', 'The certificate {path} ends on {time}.', RENEW),
  certificate_over: problem('certificate', 'The certificate {path} ends on {time}: it is over.', RENEW),
  certificate_unusable: problem(
    'certificate',
    '{error}',
    'Set api.https_certfile and api.https_keyfile to PEM files that belong together, or api.https_enabled to false.',
  ),
  port_free: fine('ports', '{protocol} port {port} on {host} ({setting}) is free.'),
  port_taken: problem('ports', '{protocol} port {port} on {host} ({setting}) is taken.', OTHER_PORT),
  port_taken_by: problem('ports', '{protocol} port {port} on {host} ({setting}) is taken by {holder}.', OTHER_PORT),
  port_forbidden: problem(
    'ports',
    '{protocol} port {port} on {host} ({setting}): this user may not listen there.',
    'Set {setting} to a port from 1024 on.',
  ),
  port_no_address: problem(
    'ports',
    '{protocol} port {port} on {host} ({setting}): this machine has no such address.',
    'Use an address that `ip address` lists, or 127.0.0.1.',
  ),
  port_failed: problem(
    'ports',
    '{protocol} port {port} on {host} ({setting}) cannot be had: {error}.',
    'Set {setting} to another port.',
  ),
  node_answers: fine('ports', 'The node that runs (process {process}) answers at {url}.'),
  node_silent: problem(
    'ports',
    'The node that runs (process {process}) does not answer at {url}: {error}.',
    'It may be stuck: look into its log, then restart it.',
  ),
  node_not_asked: fine(
    'ports',
    'The node that runs (process {process}) is not asked: its first line of output names its address.',
  ),
  interface_missing: warning(
    'ports',
    'This machine has no address or device {name} (libtorrent.interface) now; nothing leaves by it.',
    'Start the tunnel or network it belongs to, or change the setting.',
  ),
  hash_chosen: fine('hash', 'Pieces are hashed by {means}.'),
  hash_of_node: fine('hash', 'Pieces are hashed by the hash of Node.'),
  hash_slow: fine('hash', 'Pieces are hashed by the hash of Node, several times slower: {cause}.'),
  hash_not_as_set: warning(
    'hash',
    'Pieces are hashed by the hash of Node, several times slower: {cause}.',
    'Set disk.hash to auto.',
  ),
  files_unknown: fine('open-files', 'The limit of open files is not known on this system.'),
  files_ok: fine('open-files', 'The limit of open files is {limit}; the settings need {needed}.'),
  files_ok_now: fine('open-files', 'The limit of open files is {limit}; the settings need {needed}, {open} are open.'),
  files_too_few: problem('open-files', 'The limit of open files is {limit}; the settings need {needed}.', MORE_FILES),
  files_held: warning(
    'open-files',
    'The limit of open files is {limit}; the settings need {needed}: max_connections is held at {peers}, open_files at {files}, clients of the interface at {clients}.',
    MORE_FILES,
  ),
  files_nearly: warning('open-files', 'The node that runs has {open} of at most {limit} files open.', MORE_FILES),
} as const

/** A finding of the core. */
export const coreFinding = findingsOf(coreFindings)
