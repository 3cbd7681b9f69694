// The one error table: every stable error code of this node, the HTTP status it is answered with, and the text used
// when the thrower gives none. A failure that a caller can cause or cure is an AppError; anything else is a bug.
// HTTP statuses are here and not in http/ so that a code cannot be added without deciding what a client sees.

/** What the table says about one code. `status` is the HTTP status (spec part 7, decisions part 1). */
export interface ErrorEntry {
  readonly status: number
  readonly text: string
}

/** Every code with its HTTP status and the text used when the thrower gives none. */
export const errorTable = {
  // Requests (decisions part 1)
  BadRequest: { status: 400, text: 'The request is not valid.' },
  MissingParameter: { status: 400, text: 'A required parameter is missing.' },
  InvalidParameter: { status: 400, text: 'A parameter has a value that is not allowed.' },
  InvalidSetting: { status: 400, text: 'A setting is unknown or has a value that is not allowed.' },
  Unauthorized: {
    status: 401,
    text: 'The X-Api-Key header is missing or wrong; the key is api.key in tributary.yaml.',
  },
  ForeignHost: { status: 403, text: 'The Host header names a host this node does not serve; see api.host_names.' },
  ForeignOrigin: { status: 403, text: 'The request comes from a page of another origin.' },
  ScopeMissing: { status: 403, text: 'The key does not have the scope that this needs.' },
  LinkInvalid: {
    status: 403,
    text: 'The signed link is wrong or expired: get a new one from the list of files or the dashboard.',
  },
  LoginCodeUnknown: {
    status: 403,
    text: 'This sign-in link is not of this node, or was made before its last start. Make a new one: tributary open.',
  },
  LoginCodeUsed: {
    status: 403,
    text: 'This sign-in link was used already: each works once. Make a new one: tributary open.',
  },
  LoginCodeExpired: {
    status: 403,
    text: 'This sign-in link is too old: each works for ten minutes. Make a new one: tributary open.',
  },
  LoginCodeElsewhere: {
    status: 403,
    text: 'This sign-in link works only on this machine and in its local network, and is spent now.',
  },
  SessionIdMissing: {
    status: 409,
    text: 'The header X-Transmission-Session-Id is missing or wrong; this answer has the right one.',
  },
  PathNotAllowed: { status: 403, text: 'The path is outside the allowed folders.' },
  NotFound: { status: 404, text: 'There is nothing at this path.' },
  LinkNotFound: { status: 404, text: 'There is no given link of this id.' },
  KeyNotFound: { status: 404, text: 'There is no key of this name.' },
  DownloadNotFound: { status: 404, text: 'This download does not exist.' },
  FileNotFound: { status: 404, text: 'The download has no such file.' },
  MetadataNotFound: { status: 404, text: 'The metadata of this download is not known yet.' },
  MethodNotAllowed: { status: 405, text: 'This path does not answer to this method.' },
  MetadataTimeout: { status: 408, text: 'The metadata was not found in time.' },
  StateConflict: { status: 409, text: 'The present state does not allow this.' },
  BodyTooLarge: { status: 413, text: 'The request body is larger than 16777216 bytes.' },
  RangeNotSatisfiable: { status: 416, text: 'The requested range is outside the file.' },
  NotReady: { status: 503, text: 'The node is still starting.' },
  CircuitsUnavailable: { status: 503, text: 'Anonymous downloads need onion circuits, which are not available.' },
  TooManyRequests: { status: 503, text: 'Too many requests are waiting; try again.' },
  // Torrents (decisions part 2)
  TorrentUnreadable: { status: 400, text: 'The torrent cannot be read.' },
  BadMagnet: { status: 400, text: 'The magnet link cannot be read.' },
  BadScheme: { status: 400, text: 'The uri scheme is not supported.' },
  SafeSeedingRequired: { status: 400, text: 'Anonymous downloads need safe_seeding.' },
  SourceFailed: { status: 502, text: 'The source of the torrent could not be read.' },
  AddressRefused: {
    status: 502,
    text: 'The source resolves to an address that is not allowed; see network.allow_private.',
  },
  // Torrents that are updated (BEP 46)
  UpdateNotFound: { status: 404, text: 'Nothing of this name is followed or published.' },
  UpdateUnreadable: { status: 502, text: 'What the key says names no torrent.' },
  DhtUnavailable: { status: 503, text: 'This needs the DHT, which is off (setting libtorrent.dht).' },
  // Channels (decisions part 3)
  ChannelNotFound: { status: 404, text: 'This channel is not known.' },
  NotChannelOwner: { status: 403, text: 'Only the owner of this channel, or whom it lets, may do this.' },
  DuplicateChannelIdError: { status: 500, text: 'One of your channels has this name.' },
  DuplicateTorrentFileError: { status: 500, text: 'This torrent file already exists in your channel.' },
  ChannelTorrentError: { status: 500, text: 'The torrent cannot be put into the channel.' },
  TorrentNotFound: { status: 404, text: 'This torrent is not in the channel.' },
  PlaylistNotFound: { status: 404, text: 'This playlist cannot be found.' },
  CommentNotFound: { status: 404, text: 'This comment cannot be found.' },
  NothingToChange: { status: 404, text: 'Neither name nor description is given.' },
  NotSubscribed: { status: 404, text: 'You are not subscribed to this channel.' },
  AlreadySubscribed: { status: 409, text: 'You are subscribed to this channel already.' },
  FeedNotFound: { status: 404, text: 'This url is not added to your RSS feeds.' },
  FeedExists: { status: 409, text: 'This RSS feed is already there.' },
  // Wallets (decisions part 4)
  UnknownWallet: { status: 404, text: 'There is no wallet of this name: BTC, TBTC, LTC, TLTC, ETH, TETH.' },
  WalletNotCreated: { status: 400, text: 'This wallet is not created: PUT /wallets/{identifier} with a password.' },
  WalletExists: { status: 409, text: 'This wallet is created already.' },
  NoWalletServer: { status: 409, text: 'No server is set for this wallet.' },
  WalletServerFailed: { status: 502, text: 'The server of this wallet does not answer as it should.' },
  WrongPassword: { status: 403, text: 'This is not the password of the seed.' },
  WalletLocked: { status: 403, text: 'The wallet is locked: POST /wallets/{identifier}/unlock with the password.' },
  SpendKeyMissing: { status: 403, text: 'The spend key of this node is missing or wrong (parameter spend_key).' },
  SpendLimitReached: { status: 403, text: 'The transfer is above what the settings of the wallets allow.' },
  InvalidAddress: { status: 400, text: 'This is no address of the chain of this wallet.' },
  InsufficientFunds: { status: 400, text: 'Insufficient funds.' },
  TransferRefused: { status: 409, text: 'The chain does not take this transfer.' },
  TransferNotFound: { status: 404, text: 'This wallet has no such transfer.' },
  SeedMissing: { status: 404, text: 'There is no seed yet: it is made with the first wallet.' },
  SeedExists: { status: 409, text: 'This node has a seed already.' },
  // Market (decisions part 4)
  OrderNotFound: { status: 404, text: 'This node has no order of this number.' },
  OrderNotOpen: { status: 400, text: 'Only open and suspended orders can be cancelled.' },
  TransactionNotFound: { status: 404, text: 'This node has no such transaction.' },
  MarketOff: { status: 409, text: 'The market is off: the setting market_community.enabled.' },
  // Players in the local network
  DeviceNotFound: { status: 404, text: 'There is no device of this id.' },
  // Disk
  DiskFull: { status: 500, text: 'The disk is full.' },
  DiskError: { status: 500, text: 'The disk reported an error.' },
  FileMissing: { status: 500, text: 'A file or folder of the download has vanished.' },
  FileChanged: {
    status: 503,
    text: 'A file of the download was changed by somebody else. It is being checked again: try again soon.',
  },
  ForeignFile: { status: 409, text: 'A file that is not of this download lies in its place.' },
  UnsafePath: { status: 500, text: 'A path of the download leads through a link or out of its folder.' },
  VolumeStalled: {
    status: 503,
    text: 'The volume of these files does not answer. It goes on by itself when it answers again.',
  },
  // Films
  MediaUnreadable: { status: 422, text: 'The file is no film or sound that can be read.' },
  ConversionTooSlow: { status: 422, text: 'This machine does not convert the picture of the film fast enough.' },
  // Making torrents
  SourceChanged: { status: 409, text: 'A file changed while the torrent was made.' },
  // Start-up (exit code 1)
  BadConfiguration: { status: 500, text: 'The configuration cannot be used.' },
  PortTaken: { status: 500, text: 'The port is taken.' },
  StateLocked: { status: 500, text: 'The state directory is used by another node.' },
  MachineCodeChanged: { status: 500, text: 'Machine code of a package is not what this version was made with.' },
  StateUnreadable: { status: 500, text: 'The state directory cannot be used.' },
  // Inside
  PoolBusy: { status: 503, text: 'The worker pool is full.' },
  WorkerLost: { status: 500, text: 'A worker thread died.' },
  Aborted: { status: 500, text: 'The operation was given up.' },
} as const satisfies Record<string, ErrorEntry>

/** A stable error code, as clients see it in `error.code`. */
export type ErrorCode = keyof typeof errorTable

/** A failure with a stable code: caused or curable by the caller, never a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message?: string, options?: { cause?: unknown }) {
    super(message ?? errorTable[code].text, options)
    this.name = code
    this.code = code
  }
}

/** Bytes that are not what their format demands. The only error that src/wire throws. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DecodeError'
  }
}

/** The readable text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
