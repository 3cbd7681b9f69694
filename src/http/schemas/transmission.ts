// JSON schemas of the Transmission RPC: the envelope only; the arguments are in Transmission's own specification.

import { Type } from '@sinclair/typebox'

/** Body of a request. */
export const RpcRequestSchema = Type.Object({
  method: Type.String({ description: 'name of a method' }),
  arguments: Type.Optional(Type.Object({}, { description: 'by name, as the method takes them' })),
  tag: Type.Optional(Type.Number({ description: 'comes back in the answer' })),
})

/** The answer. */
export const RpcAnswerSchema = Type.Object({
  arguments: Type.Unknown({ description: 'an object, as the method answers' }),
  result: Type.String({ description: '`success`, or what went wrong' }),
  tag: Type.Optional(Type.Number()),
})
