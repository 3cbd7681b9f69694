// JSON schemas of the routes under /debug/circuits (spec 2.11; decisions part 5; decision 0395).

import { Type } from '@sinclair/typebox'

const Bytes = (description: string) => Type.Integer({ minimum: 0, description })
const Address = (description: string) => Type.String({ description })
const words = <T extends string>(...values: T[]) => Type.Union(values.map(value => Type.Literal(value)))
const Created = Type.Integer({ description: 'Unix time' })
const CircuitId = Type.Integer({ minimum: 0, description: 'a number of 32 bits' })

const Circuit = Type.Object({
  id: CircuitId,
  state: words('EXTENDING', 'READY', 'CLOSING'),
  goal_hops: Type.Integer({ minimum: 0, description: 'hops it is to have' }),
  bytes_up: Bytes('bytes sent into it'),
  bytes_down: Bytes('bytes that came out of it'),
  created: Created,
  hops: Type.Array(
    Type.Object({
      host: Address('ip:port; unknown where it is not known'),
      member: Type.String({ description: 'extra: SHA-1 of its public key, hexadecimal' }),
    }),
    { description: 'those that have answered, the nearest first' },
  ),
  purpose: words('data', 'introduction-seeder', 'rendezvous-seeder', 'rendezvous-downloader'),
  speed_up: Bytes('extra: bytes/s lately'),
  speed_down: Bytes('extra: bytes/s lately'),
  rtt: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: 'extra: milliseconds to its end and back; null = not measured yet',
  }),
  loss: Type.Number({ minimum: 0, maximum: 1, description: 'extra: part of its pings that came to nothing' }),
  reason: Type.String({ description: 'extra: why it is not ready, or is closing; empty when nothing is wrong' }),
})

const Joined = Type.Object({
  id: CircuitId,
  role: words('relay', 'exit', 'introduction', 'rendezvous'),
  from: Address('ip:port its cells come from'),
  to: Address('ip:port they go to; empty at an exit'),
  bytes_up: Bytes('bytes away from who made it'),
  bytes_down: Bytes('bytes towards who made it'),
  created: Created,
})

/** GET /debug/circuits. */
export const CircuitsReply = Type.Object({ circuits: Type.Array(Circuit) })

const PlaceHolder = Type.Integer({
  minimum: 0,
  description: 'id of the circuit that has this place; 0 = free, or none',
})

/** GET /debug/circuits/slots. */
export const SlotsReply = Type.Object({
  slots: Type.Array(Type.Object({ competing: PlaceHolder, random: PlaceHolder })),
})

/** GET /debug/circuits/relays. */
export const RelaysReply = Type.Object({ relays: Type.Array(Joined) })

/** GET /debug/circuits/exits. */
export const ExitsReply = Type.Object({ exits: Type.Array(Joined) })

/** GET /debug/circuits/traffic. */
export const TrafficReply = Type.Object({
  traffic: Type.Object({
    own_up: Bytes('bytes sent into circuits of this node'),
    own_down: Bytes('bytes that came out of them'),
    relayed: Bytes('bytes passed on for others, each once'),
    exited_up: Bytes('bytes sent for others by exits of this node'),
    exited_down: Bytes('bytes that came back to them'),
  }),
})

/** GET /debug/circuits/network. */
export const NetworkReply = Type.Object({
  network: Type.Object({
    running: Type.Boolean({ description: 'false: not needed yet, or off by settings' }),
    wan_address: Address('ip:port as others see it; 0.0.0.0:0 = not known'),
    lan_address: Address('ip:port of the UDP port of overlays; 0.0.0.0:0 = there is none'),
    runtime: Type.Number({ minimum: 0, description: 'seconds' }),
    relays: Type.Integer({ minimum: 0, description: 'peers that may be a hop' }),
    exits: Type.Integer({ minimum: 0, description: 'those of them that let traffic out' }),
    places: Type.Integer({ minimum: 0, description: 'for circuits of others' }),
    places_taken: Type.Integer({ minimum: 0 }),
    reason: Type.String({ description: 'why no circuit of this node carries data; empty when one does' }),
  }),
})
