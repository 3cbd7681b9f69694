// Where the worker files lie in the built tree, found from this module and never from the working directory: it lies as
// deep as the program that is made of all modules, so that the same way leads there from both.

/** The built file of a worker of `workers/`, or of the `workers` room of a chapter; `name`: of its source. */
export function workerUrl(name: string): URL {
  return new URL(`../../workers/${name}.js`, import.meta.url)
}
