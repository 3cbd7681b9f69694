// CPU time of this process: what a piece of work cost, however busy the machine is with others.

/** Milliseconds of CPU that all threads of this process have used. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
