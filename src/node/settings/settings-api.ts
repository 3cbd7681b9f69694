// Section api of the settings: the control interface. Names as the real system has them where it has the option.

import { Secret } from '../../base/secret.ts'
import type { OptionSpec } from './settings-option.ts'

/** See settings-schema.ts. */
export const apiSettings = {
  http_port: {
    kind: 'integer',
    min: -1,
    max: 65535,
    default: 52194,
    needsRestart: true,
    doc: 'Port of the control interface; 0 or -1 = a free port.',
  },
  retry_port: {
    kind: 'boolean',
    default: false,
    needsRestart: true,
    doc: 'When the port is taken, the nine after it are tried; GET /variables says which one it is.',
  },
  http_host: {
    kind: 'text',
    format: 'ip',
    maxLength: 64,
    default: '127.0.0.1',
    needsRestart: true,
    doc: 'Address the control interface listens on.',
  },
  key: {
    kind: 'secret',
    format: 'key',
    maxLength: 256,
    default: Secret.none,
    needsRestart: true,
    secret: true,
    doc: 'Value of X-Api-Key. Made at first start; explicitly empty = no key, only on a loopback address.',
  },
  host_names: {
    kind: 'list',
    of: 'hostname',
    default: [],
    needsRestart: true,
    doc: 'Names, beside localhost and IP addresses, that a Host header may carry.',
  },
  origins: {
    kind: 'list',
    of: 'origin',
    default: [],
    needsRestart: true,
    doc: 'Origins of web pages that may use the interface (scheme://host[:port]).',
  },
  stream_silent_seconds: {
    kind: 'integer',
    min: 10,
    max: 86400,
    default: 600,
    needsRestart: true,
    doc: 'A stream reader that takes no byte for so long is cut.',
  },
  http_enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Plain HTTP; false needs https_enabled.',
  },
  https_enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: true,
    doc: 'HTTPS, beside plain HTTP or alone.',
  },
  https_port: {
    kind: 'integer',
    min: -1,
    max: 65535,
    default: 52195,
    needsRestart: true,
    doc: 'Port of HTTPS; 0 or -1 = a free port.',
  },
  https_host: {
    kind: 'text',
    format: 'ip',
    maxLength: 64,
    default: '127.0.0.1',
    needsRestart: true,
    doc: 'Address HTTPS listens on.',
  },
  https_certfile: {
    kind: 'text',
    format: 'path',
    maxLength: 4096,
    default: '',
    optional: true,
    needsRestart: true,
    doc: 'PEM file of the certificate with those above it; read again within 20 s when it changes.',
  },
  https_keyfile: {
    kind: 'text',
    format: 'path',
    maxLength: 4096,
    default: '',
    optional: true,
    needsRestart: true,
    doc: 'PEM file of its private key; read again with it.',
  },
} as const satisfies Record<string, OptionSpec>
