// What a look at the metadata behind a magnet link, URL or torrent file can end in.

/** Errors of GET /torrentinfo and GET /torrentinfo/files. */
export const SOURCE_ERRORS = [
  'MissingParameter',
  'InvalidParameter',
  'TorrentUnreadable',
  'BadMagnet',
  'BadScheme',
  'PathNotAllowed',
  'MetadataTimeout',
  'SourceFailed',
  'AddressRefused',
  'CircuitsUnavailable',
  'NotReady',
] as const
