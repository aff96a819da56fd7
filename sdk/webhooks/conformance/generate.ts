// Writes vectors.json. Its arguments, for another receiver or time: <file> <seconds since 1970> <issuer> <target_url>. The keys are those of
// test-only-keys.json.
// ECDSA signatures are random, so each run writes other signatures over the same tokens.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { organizationId } from './make-token.ts'
import { vectorsFor } from './vectors.ts'

const [file = join(import.meta.dirname, 'vectors.json'), time = '1800000000', ...addresses] = process.argv.slice(2)
const [issuer = 'https://signet.example.com', target_url = 'https://hooks.example.com/signet'] = addresses
const receiver = { issuer, organization_id: organizationId, target_url }
writeFileSync(file, `${JSON.stringify(vectorsFor({ now: Number(time), receiver }), null, 2)}\n`)
