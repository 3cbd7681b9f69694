// The main thread's end of the thread of the records: DatabaseLink with the jobs of jobs.ts.

import { DatabaseLink, type LinkEars } from './database-link.ts'
import { type DatabaseOptions, type OpenFacts, patientJobs, type RecordJobs } from './jobs.ts'

/** The link of the records. */
export class RecordsLink extends DatabaseLink<RecordJobs, OpenFacts> {
  constructor(workerUrl: URL, options: DatabaseOptions, ears: LinkEars) {
    super(workerUrl, options, { what: 'records', patient: patientJobs }, ears)
  }
}
