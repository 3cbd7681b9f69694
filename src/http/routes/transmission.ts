// The door for clients of Transmission (extra; decision 0360): transmission-remote, Sonarr, Radarr, phones. It is
// loaded when the first of them comes.

import { type Route, route } from '../route.ts'
import { RpcAnswerSchema, RpcRequestSchema } from '../schemas/transmission.ts'

const rpcRoute = (id: string, path: string): Route<'json'> =>
  route({
    id,
    method: 'POST',
    path,
    kind: 'json',
    scope: 'add',
    door: true,
    longBody: true,
    tag: 'transmission',
    summary: 'The RPC of Transmission',
    choices: [
      'Extra. The RPC of Transmission 4.0 (`rpc-version` 17) for programs that know it. The key is the password of Basic ' +
        'authentication, with any user name; X-Api-Key and Bearer do as well.',
      'Every request needs the header X-Transmission-Session-Id; without it, whatever the method, 409 `SessionIdMissing` with ' +
        'the right one in that header. It holds until the node stops.',
      'Methods: torrent-get, -add, -set, -set-location (with `move`), -remove, -start, -start-now, -stop, -verify, ' +
        '-reannounce, session-get, -set, -stats, -close, free-space, port-test, group-get. queue-move-*, and ' +
        '`queuePosition`, move as PATCH /queue does.',
      'Answers 200 with `result` `success` or a sentence that says what is wrong. What this node has no setting for may only ' +
        'be set to what it is.',
      '`seedIdleLimit` is minutes of seeding in all, not of silence: automation means that by it.',
      'Keys with scope `add` may use it; session-set and session-close need `admin`, and paths are those the key may name.',
      'A path with a `/` at its end is the same.',
    ],
    parameters: 'object',
    bodySchema: RpcRequestSchema,
    reply: RpcAnswerSchema,
    errors: ['BadRequest', 'SessionIdMissing', 'NotReady', 'TooManyRequests'],
    sample: {
      path,
      body: { method: 'torrent-get', arguments: { fields: ['id', 'name', 'status'] }, tag: 7 },
      status: 200,
    },
    run: async (context, { parameters, caller }) => {
      const { TransmissionEndpoint } = await import('../transmission/rpc-endpoint.ts')
      return TransmissionEndpoint.of(context).answer(parameters, caller)
    },
  })

/** Every route of this file. */
export const transmissionRoutes = [
  rpcRoute('transmission.rpc', '/transmission/rpc'),
  rpcRoute('transmission.rpcSlash', '/transmission/rpc/'),
] as const
