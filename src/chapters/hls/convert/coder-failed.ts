// The end of a work that leaves a decoder or an encoder behind: the packages do not close one that has failed.

import { DecodeError } from '../../../base/errors.ts'

/** A decoder or encoder has failed, and stays in its thread, with its memory, until that thread ends. */
export class CoderFailed extends DecodeError {}
