// The files of a certificate and its private key, as the HTTPS listener sees them. The key itself never comes this way:
// the native server reads it.

/** Both files. */
export interface CertificateFiles {
  /** Absolute paths of PEM files: the certificate with those above it, and the private key. */
  readonly certFile: string
  readonly keyFile: string
  /** Changes when one of the files does; files that are missing have one too. */
  stamp(): Promise<string>
  /** AppError BadConfiguration, naming what is wrong, unless both can be used together. */
  check(): Promise<void>
}
