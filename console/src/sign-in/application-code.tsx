import type { Application } from '@signet/management'
import { Snippets } from '../design/code.tsx'
import { Stack } from '../design/page.tsx'
import { Soft } from '../design/text.tsx'
import { snippetsFor } from './application-snippets.ts'

type ApplicationCodeProps = { application: Application; issuer: string }

export function ApplicationCode({ application, issuer }: ApplicationCodeProps) {
  const fit = application.confidential
    ? 'This application is confidential: it runs on a server, which reads the client secret from its environment.'
    : 'This application is public: it runs in a browser or on a device. Code for a server needs a confidential one.'
  return (
    <Stack>
      <Soft>{fit}</Soft>
      <Snippets label="Library" snippets={snippetsFor({ application, issuer })} />
    </Stack>
  )
}
