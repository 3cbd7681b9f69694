// The end of a work for which nobody waits any more.

/** Nobody waits for what is being made. */
export class GivenUp extends Error {
  constructor() {
    super('nobody waits for it any more')
    this.name = 'GivenUp'
  }
}
