// The end of a work whose decoder or encoder has failed: what is in its memory is not trusted any more.

import { DecodeError } from '../../../base/errors.ts'

/** A decoder or encoder has failed: its memory is given up, and so is its thread. */
export class CoderFailed extends DecodeError {}
