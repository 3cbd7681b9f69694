// A promise that is settled from outside.

/** `resolve` and `reject` settle `promise`; later calls do nothing. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

/** Makes a deferred. A rejection that no caller awaits is not reported as unhandled. */
export function makeDeferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}
