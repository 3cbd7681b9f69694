// Methods of a double: each notes its name and arguments, then answers what it was given.

/** Makes methods of a double. */
export type NotedAnswer = <T>(name: string, value: T) => (...asked: unknown[]) => Promise<T>

/** `note` is called with the name of the method and its arguments; the method rejects with what that throws. */
export function notedAnswers(note: (...call: unknown[]) => void): NotedAnswer {
  return (name, value) =>
    async (...asked) => {
      note(name, ...asked)
      return value
    }
}
