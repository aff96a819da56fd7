// `npm run certificate`: a certificate for the example receiver, by an authority made for it alone, and the line that
// starts Signet so that it finds and trusts this receiver.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeAuthority } from '../server/tests/support/certificates.ts'

/** Paths of PEM files. */
export type CertificateFiles = { authority: string; certificate: string; privateKey: string }

/** Writes a certificate for `host` into `folder`, over one that is there. */
export function makeCertificate(folder: string, host: string): CertificateFiles {
  const authority = makeAuthority()
  const { certificate, privateKey } = authority.issue([host])
  // Signet's own data folder may be made here first, as Signet makes it.
  mkdirSync(dirname(folder), { recursive: true, mode: 0o711 })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const write = (name: string, pem: string) => {
    const path = join(folder, name)
    writeFileSync(path, pem, { mode: 0o600 })
    return path
  }
  return {
    authority: write('ca.pem', authority.certificate),
    certificate: write('certificate.pem', certificate),
    privateKey: write('private-key.pem', privateKey),
  }
}

if (import.meta.main) {
  const { authority } = makeCertificate('data/receiver', 'receiver.test')
  console.log(`Made data/receiver: a certificate for receiver.test, good for thirty days. Start Signet with it:

  SIGNET_WEBHOOK_RESOLVE=receiver.test:9443:127.0.0.1 NODE_EXTRA_CA_CERTS=${authority} npm start`)
}
