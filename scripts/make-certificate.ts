// `npm run certificate`: makes a certificate for a receiver on this machine, with an authority of its own, in the data folder, where
// the next `npm start` finds it.
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dayMs } from '../server/src/ground/runtime/clock.ts'
import { makeAuthority } from './certificates.ts'

/** Paths of PEM files. */
export type CertificateFiles = { authority: string; certificate: string; privateKey: string }

/** The one in the folder, which a receiver may be using, or a new one where it is missing or about to expire. */
export const certificateFor = (folder: string, host: string): CertificateFiles =>
  validUntil(folder) ? filesIn(folder) : makeCertificate(folder, host)

/** Writes a certificate for `host` into `folder`, replacing one that is there. */
export function makeCertificate(folder: string, host: string): CertificateFiles {
  const authority = makeAuthority()
  const { certificate, privateKey } = authority.issue([host])
  // The parent may be Signet's data folder, which then gets the mode that Signet gives it.
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

/** When the certificate in `folder` expires; undefined if that is within a day, or there is none. */
function validUntil(folder: string): Date | undefined {
  const files = filesIn(folder)
  if (!Object.values(files).every((path) => existsSync(path))) return undefined
  const { validToDate } = new X509Certificate(readFileSync(files.certificate))
  return validToDate.getTime() > Date.now() + dayMs ? validToDate : undefined
}

if (import.meta.main) {
  const folder = join(process.env.SIGNET_DATA_DIR || 'data', 'receiver')
  const isThere = validUntil(folder) !== undefined
  certificateFor(folder, 'receiver.test')
  const until = validUntil(folder)?.toISOString().slice(0, 10)
  console.log(`${folder}: a certificate for receiver.test, ${isThere ? 'reused' : 'made'}, valid until ${until}.
Signet finds it at its start: npm start`)
}
