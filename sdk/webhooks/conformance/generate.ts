// Makes vectors.json: `npm run generate:conformance -w @signet/webhooks`. For a receiver whose clock cannot be set, and that
// fetches keys from the issuer itself: `node generate.ts <file> <seconds since 1970> <issuer> <target_url>`. The keys are
// those of test-only-keys.json. ECDSA signatures are random, so each run writes other signatures over the same tokens.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stories } from './key-set-stories.ts'
import { now, published, receiver } from './make-token.ts'
import { tokens } from './token-cases.ts'

const [file = join(import.meta.dirname, 'vectors.json')] = process.argv.slice(2)
const vectors = {
  about: 'How to run them: README.md beside this file. Made by generate.ts.',
  now,
  receiver,
  key_set: published('current', 'next'),
  tokens,
  stories,
}
writeFileSync(file, `${JSON.stringify(vectors, null, 2)}\n`)
