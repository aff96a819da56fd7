import { quotedForShell } from '../calls/to-curl.ts'

const certificate = { CERTIFICATE: 'certificate.pem', PRIVATE_KEY: 'private-key.pem' }

/** The command line that starts an example receiver with the values of one organization. */
export const startCommand = (values: Record<string, string>, command: string) =>
  [
    ...Object.entries({ ...values, ...certificate }).map(([name, value]) => `export ${name}=${quotedForShell(value)}`),
    command,
  ].join('\n')
