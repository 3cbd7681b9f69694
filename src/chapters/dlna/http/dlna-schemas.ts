// Schemas of the media server's routes.

import { Type } from '@sinclair/typebox'

const Device = Type.Object({
  id: Type.String({ description: 'As its links name it.' }),
  address: Type.String(),
  name: Type.String({ description: 'What it calls itself; may be empty.' }),
  allowed: Type.Boolean({ description: 'Its links open their files, and it is answered.' }),
  streams: Type.Integer({ description: 'Files that it reads now.' }),
  first_seen: Type.Integer({ description: 'Seconds since 1970.' }),
  last_seen: Type.Integer({ description: 'Seconds since 1970.' }),
})

/** GET /dlna. */
export const DlnaReply = Type.Object({
  enabled: Type.Boolean({ description: 'Setting dlna.enabled.' }),
  running: Type.Boolean({ description: 'At least one interface is served.' }),
  name: Type.String({ description: 'What players call this node.' }),
  interfaces: Type.Array(
    Type.Object({
      name: Type.String(),
      address: Type.String(),
      port: Type.Integer(),
      location: Type.String({ description: 'Where the description of the server is.' }),
    }),
  ),
  problem: Type.String({ description: 'Why less is served than should be; empty = nothing is in the way.' }),
})

/** GET /dlna/devices. */
export const DevicesReply = Type.Object({ devices: Type.Array(Device) })

/** POST /dlna/devices/{id}/block and /allow. */
export const DeviceReply = Type.Object({ device: Device })

/** DELETE /dlna/devices/{id}. */
export const ForgottenReply = Type.Object({ id: Type.String(), forgotten: Type.Literal(true) })
