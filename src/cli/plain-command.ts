// What a command is that is one request: see plain-commands.ts. Its route, and what that takes, are checked by the
// compiler.

import type { MayBeEmpty, ParametersOf, ReplyOf, RouteMap, RouteName } from '../client/routes.ts'

/** A parameter that may be left out. */
export interface PlainOption<Parameter = string> {
  /** As commander has it: `--hops <n>`. */
  readonly flags: string
  readonly parameter: Parameter
  readonly text: string
  readonly read: (text: string) => string | number
}

/**
 * How the text of an argument is sent: as it is; a path of the node's machine, where what is there from here is meant
 * from here; as a list, with commas between; or, when it is left out, as something else.
 */
export type ArgumentKind = 'text' | 'path' | 'list' | { readonly default: string }

interface PlainFields {
  /** One or two words. */
  readonly words: string
  readonly text: string
}

type Arguments<Parameters> = {
  readonly [Name in keyof Parameters]: NonNullable<Parameters[Name]> extends readonly unknown[]
    ? 'list'
    : Exclude<ArgumentKind, 'list'>
}

type ParametersPart<Parameters> = [Parameters] extends [never]
  ? { readonly parameters?: undefined; readonly options?: undefined }
  : (MayBeEmpty<Parameters> extends true
      ? { readonly parameters?: Arguments<Parameters> }
      : { readonly parameters: Arguments<Parameters> }) & {
      readonly options?: readonly PlainOption<keyof Parameters>[]
    }

type AnswerPart<Routes extends RouteMap, Name extends RouteName<Routes>> = Routes[Name]['kind'] extends 'json'
  ? { readonly human?: (answer: ReplyOf<Routes, Name>) => string; readonly bytes?: undefined }
  : { readonly human?: undefined; readonly bytes?: true }

/** A command that is one request to one of these routes. */
export type PlainCommandOf<Routes extends RouteMap> = {
  [Name in RouteName<Routes>]: PlainFields & { readonly route: Name } & ParametersPart<ParametersOf<Routes, Name>> &
    AnswerPart<Routes, Name>
}[RouteName<Routes>]

/** The same, whatever its route. */
export interface PlainCommand extends PlainFields {
  /** Its name; `{name}` is an argument. */
  readonly route: string
  /** Arguments that go into the query (GET) or the body, in their order. */
  readonly parameters?: Readonly<Record<string, ArgumentKind | undefined>> | undefined
  /** Options of parameters that may be left out. */
  readonly options?: readonly PlainOption[] | undefined
  /** What people are shown of the answer; default: all of it. */
  readonly human?: ((answer: never) => string) | undefined
  /** The answer is no JSON. */
  readonly bytes?: true | undefined
}
