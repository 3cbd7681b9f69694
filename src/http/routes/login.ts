// Signing in by a link (extra, decision 0553): a code that works once stands behind `#` in the address of the page,
// where no server and no log sees it; the page exchanges it for a key of its own.

import { Type } from '@sinclair/typebox'
import type { Caller } from '../../services/callers-api.ts'
import { route } from '../route.ts'
import { checkGiven, Name, Scopes } from './keys.ts'

const tag = 'keys'

const OfferParameters = Type.Object({
  scopes: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 16,
      description:
        'of the key that the code is exchanged for; default: what the key that asks has of owner, or admin and spend',
    }),
  ),
  anywhere: Type.Optional(
    Type.Boolean({ description: 'default false: the code works on this machine and in its local network alone' }),
  ),
})

const OfferReply = Type.Object({
  id: Type.String({ description: 'to look at it; opens nothing' }),
  code: Type.String({ description: 'shown now and never again' }),
  path: Type.String({ description: 'of the link: /#/login/ and the code' }),
  scopes: Scopes,
  expires: Type.Number({ description: 'seconds since 1970: ten minutes from now' }),
})

const StateReply = Type.Object({
  id: Type.String(),
  state: Type.Union([Type.Literal('waiting'), Type.Literal('used'), Type.Literal('expired')], {
    description: 'used: exchanged, taken back, or tried from elsewhere',
  }),
  name: Type.String({ description: 'of the key that was made; empty = none' }),
})

const TakeParameters = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 64 }),
  name: Name,
})

const TakeReply = Type.Object({
  name: Name,
  scopes: Scopes,
  key: Type.String({ description: 'the key: shown now and never again' }),
})

/** What the link gives that nothing else was said of: all that its maker may. */
function allOf(caller: Caller): readonly string[] {
  if (caller.anyPath) return ['owner']
  return caller.spends ? ['admin', 'spend'] : ['admin']
}

const offerLogin = route({
  id: 'login.offer',
  method: 'PUT',
  path: '/login',
  kind: 'json',
  scope: 'admin',
  whileUpgrading: true,
  tag,
  summary: 'Makes a code that signs a browser in once',
  choices: [
    'The whole route is extra; the command `tributary open` uses it. A code is kept in memory, as a hash, for ten minutes; ' +
      'at most 32 are known, the oldest goes first. Scopes spend and owner are given by who has them.',
  ],
  parameters: OfferParameters,
  reply: OfferReply,
  errors: ['InvalidParameter'],
  sample: { path: '/login', body: {}, status: 200 },
  run: ({ services }, { parameters: { scopes, anywhere }, caller }) => {
    const given = scopes ?? allOf(caller)
    checkGiven(given, caller)
    const offer = services.login.offer({ scopes: given, anywhere: anywhere ?? false })
    return { ...offer, path: `/#/login/${offer.code}` }
  },
})

const takeLogin = route({
  id: 'login.take',
  method: 'POST',
  path: '/login',
  kind: 'json',
  scope: 'open',
  countsGuesses: true,
  tag,
  summary: 'Exchanges a code for a key of its own',
  choices: [
    'The whole route is extra and needs no key. The key is one of `GET /keys`, named after the device (a number makes the ' +
      'name its own), and is taken back as any other. Codes that are refused are answered the later the more of them came ' +
      'from an address, then 503 `TooManyRequests`. Requests that came by a proxy (X-Forwarded-For) count as from elsewhere.',
  ],
  parameters: TakeParameters,
  reply: TakeReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'LoginCodeUnknown', 'LoginCodeUsed', 'LoginCodeExpired'] as const),
    ...(['LoginCodeElsewhere', 'StateConflict', 'TooManyRequests'] as const),
  ],
  sample: { path: '/login', body: { code: 'AbCdEfGhIjKlMnOpQrStUvWxYz012345', name: 'firefox-linux' }, status: 200 },
  run: ({ services }, { parameters: { code, name }, isNear }) => services.login.take(code, name, isNear),
})

const lookAtLogin = route({
  id: 'login.state',
  method: 'GET',
  path: '/login/{id}',
  kind: 'json',
  scope: 'admin',
  whileUpgrading: true,
  tag,
  summary: 'Whether a code was used',
  choices: ['The whole route is extra.'],
  parameters: null,
  reply: StateReply,
  errors: ['LoginCodeUnknown'],
  sample: { path: '/login/1', status: 200 },
  run: ({ services }, { path }) => services.login.look(path['id'] ?? ''),
})

const withdrawLogin = route({
  id: 'login.withdraw',
  method: 'DELETE',
  path: '/login/{id}',
  kind: 'json',
  scope: 'admin',
  whileUpgrading: true,
  tag,
  summary: 'Takes a code back',
  choices: ['The whole route is extra. The key of a code that was used stays; see `DELETE /keys/{name}`.'],
  parameters: null,
  reply: StateReply,
  errors: ['LoginCodeUnknown'],
  sample: { path: '/login/1', status: 200 },
  run: ({ services }, { path }) => services.login.withdraw(path['id'] ?? ''),
})

/** Every route of this file. */
export const loginRoutes = [offerLogin, takeLogin, lookAtLogin, withdrawLogin] as const
