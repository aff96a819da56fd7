// `npm run certificate`: a certificate for the example receiver, by an authority made for it alone, and the line that
// starts Signet so that it finds and trusts this receiver.
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dayMs } from '../server/src/runtime/clock.ts'
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
  const write = (path: string, pem: string) => writeFileSync(path, pem, { mode: 0o600 })
  const files = filesIn(folder)
  write(files.authority, authority.certificate)
  write(files.certificate, certificate)
  write(files.privateKey, privateKey)
  return files
}

const filesIn = (folder: string): CertificateFiles => ({
  authority: join(folder, 'ca.pem'),
  certificate: join(folder, 'certificate.pem'),
  privateKey: join(folder, 'private-key.pem'),
})

/** Until when the certificate in `folder` is good; undefined when it is for less than a day. */
function goodUntil(folder: string): Date | undefined {
  const files = filesIn(folder)
  if (!Object.values(files).every((path) => existsSync(path))) return undefined
  const { validToDate } = new X509Certificate(readFileSync(files.certificate))
  return validToDate.getTime() > Date.now() + dayMs ? validToDate : undefined
}

if (import.meta.main) {
  const folder = 'data/receiver'
  // A Signet that runs trusts the authority that it was started with.
  const kept = goodUntil(folder)
  if (!kept) makeCertificate(folder, 'receiver.test')
  const until = kept ? `kept, good until ${kept.toISOString().slice(0, 10)}` : 'made, good for thirty days'
  console.log(`${folder}: a certificate for receiver.test, ${until}. Start Signet with it:

  SIGNET_WEBHOOK_RESOLVE=receiver.test:9443:127.0.0.1 NODE_EXTRA_CA_CERTS=${filesIn(folder).authority} npm start`)
}
