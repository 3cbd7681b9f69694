// What a media server offers: its services, each with its actions and variables, as UPnP's service templates have them
// (ContentDirectory:1, ConnectionManager:1) and Microsoft's registrar, without which some players show nothing.

/** The kind of device. */
export const DEVICE_TYPE = 'urn:schemas-upnp-org:device:MediaServer:1'

/** An argument: its name, whether it goes in or comes out, the variable that has its type. */
export type Argument = readonly [name: string, direction: 'in' | 'out', variable: string]

/** A variable of a service. */
export interface Variable {
  readonly name: string
  readonly type: 'string' | 'ui4' | 'i4' | 'int' | 'bin.base64'
  /** Told to subscribers. */
  readonly evented?: boolean
  readonly allowed?: readonly string[]
}

/** A service. */
export interface ServiceTemplate {
  /** In paths. */
  readonly key: 'content' | 'connections' | 'registrar'
  readonly type: string
  readonly id: string
  readonly actions: Readonly<Record<string, readonly Argument[]>>
  readonly variables: readonly Variable[]
}

const text = (name: string, allowed?: readonly string[]): Variable => ({
  name,
  type: 'string',
  ...(allowed === undefined ? {} : { allowed }),
})

const content: ServiceTemplate = {
  key: 'content',
  type: 'urn:schemas-upnp-org:service:ContentDirectory:1',
  id: 'urn:upnp-org:serviceId:ContentDirectory',
  actions: {
    GetSearchCapabilities: [['SearchCaps', 'out', 'SearchCapabilities']],
    GetSortCapabilities: [['SortCaps', 'out', 'SortCapabilities']],
    GetSystemUpdateID: [['Id', 'out', 'SystemUpdateID']],
    Browse: [
      ['ObjectID', 'in', 'A_ARG_TYPE_ObjectID'],
      ['BrowseFlag', 'in', 'A_ARG_TYPE_BrowseFlag'],
      ['Filter', 'in', 'A_ARG_TYPE_Filter'],
      ['StartingIndex', 'in', 'A_ARG_TYPE_Index'],
      ['RequestedCount', 'in', 'A_ARG_TYPE_Count'],
      ['SortCriteria', 'in', 'A_ARG_TYPE_SortCriteria'],
      ['Result', 'out', 'A_ARG_TYPE_Result'],
      ['NumberReturned', 'out', 'A_ARG_TYPE_Count'],
      ['TotalMatches', 'out', 'A_ARG_TYPE_Count'],
      ['UpdateID', 'out', 'A_ARG_TYPE_UpdateID'],
    ],
  },
  variables: [
    text('A_ARG_TYPE_ObjectID'),
    text('A_ARG_TYPE_Result'),
    text('A_ARG_TYPE_BrowseFlag', ['BrowseMetadata', 'BrowseDirectChildren']),
    text('A_ARG_TYPE_Filter'),
    text('A_ARG_TYPE_SortCriteria'),
    { name: 'A_ARG_TYPE_Index', type: 'ui4' },
    { name: 'A_ARG_TYPE_Count', type: 'ui4' },
    { name: 'A_ARG_TYPE_UpdateID', type: 'ui4' },
    text('SearchCapabilities'),
    text('SortCapabilities'),
    { name: 'SystemUpdateID', type: 'ui4', evented: true },
  ],
}

const connections: ServiceTemplate = {
  key: 'connections',
  type: 'urn:schemas-upnp-org:service:ConnectionManager:1',
  id: 'urn:upnp-org:serviceId:ConnectionManager',
  actions: {
    GetProtocolInfo: [
      ['Source', 'out', 'SourceProtocolInfo'],
      ['Sink', 'out', 'SinkProtocolInfo'],
    ],
    GetCurrentConnectionIDs: [['ConnectionIDs', 'out', 'CurrentConnectionIDs']],
    GetCurrentConnectionInfo: [
      ['ConnectionID', 'in', 'A_ARG_TYPE_ConnectionID'],
      ['RcsID', 'out', 'A_ARG_TYPE_RcsID'],
      ['AVTransportID', 'out', 'A_ARG_TYPE_AVTransportID'],
      ['ProtocolInfo', 'out', 'A_ARG_TYPE_ProtocolInfo'],
      ['PeerConnectionManager', 'out', 'A_ARG_TYPE_ConnectionManager'],
      ['PeerConnectionID', 'out', 'A_ARG_TYPE_ConnectionID'],
      ['Direction', 'out', 'A_ARG_TYPE_Direction'],
      ['Status', 'out', 'A_ARG_TYPE_ConnectionStatus'],
    ],
  },
  variables: [
    { name: 'SourceProtocolInfo', type: 'string', evented: true },
    { name: 'SinkProtocolInfo', type: 'string', evented: true },
    { name: 'CurrentConnectionIDs', type: 'string', evented: true },
    text('A_ARG_TYPE_ConnectionStatus', [
      ...['OK', 'ContentFormatMismatch', 'InsufficientBandwidth', 'UnreliableChannel', 'Unknown'],
    ]),
    text('A_ARG_TYPE_ConnectionManager'),
    text('A_ARG_TYPE_Direction', ['Input', 'Output']),
    text('A_ARG_TYPE_ProtocolInfo'),
    { name: 'A_ARG_TYPE_ConnectionID', type: 'i4' },
    { name: 'A_ARG_TYPE_AVTransportID', type: 'i4' },
    { name: 'A_ARG_TYPE_RcsID', type: 'i4' },
  ],
}

const registrar: ServiceTemplate = {
  key: 'registrar',
  type: 'urn:microsoft.com:service:X_MS_MediaReceiverRegistrar:1',
  id: 'urn:microsoft.com:serviceId:X_MS_MediaReceiverRegistrar',
  actions: {
    IsAuthorized: [
      ['DeviceID', 'in', 'A_ARG_TYPE_DeviceID'],
      ['Result', 'out', 'A_ARG_TYPE_Result'],
    ],
    IsValidated: [
      ['DeviceID', 'in', 'A_ARG_TYPE_DeviceID'],
      ['Result', 'out', 'A_ARG_TYPE_Result'],
    ],
  },
  variables: [text('A_ARG_TYPE_DeviceID'), { name: 'A_ARG_TYPE_Result', type: 'int' }],
}

/** All of them. */
export const SERVICES: readonly ServiceTemplate[] = [content, connections, registrar]
