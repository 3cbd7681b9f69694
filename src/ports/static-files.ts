// Files that come with the program (the API browser's page parts), by name. No path of a client ever reaches this port
// unchecked: only the names of the http layer's own list do.

/** Files that are shipped with the node. */
export interface StaticFiles {
  /** The whole file, or null when it is not there. */
  read(name: string): Promise<Uint8Array | null>
}
