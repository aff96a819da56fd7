import type { CreatedCredentialLink } from '@signet/management'
import { useState } from 'react'
import { MissingPage } from '../design/missing-page.tsx'
import { Columns, Page, Panel } from '../design/page.tsx'
import { ProviderMark } from '../providers/provider-mark.tsx'
import { ProviderSteps } from '../providers/provider-steps.tsx'
import { asProvider, type Provider, providerInWords, providers } from '../providers/providers.ts'
import { useParams } from '../router/index.ts'
import styles from './heading.module.css'
import { NewCredentialForm } from './new-credential-form.tsx'
import { ReserveCallback } from './reserve-callback.tsx'

export function Component() {
  const provider = asProvider(useParams().provider)
  return provider ? <NewCredential key={provider} provider={provider} /> : <MissingPage />
}

/** First what to do at the provider, then what it gave. */
function NewCredential({ provider }: { provider: Provider }) {
  const [link, setLink] = useState<CreatedCredentialLink>()
  const title = `Add a credential of ${providers[provider].name}`
  const heading = (
    <span className={styles.heading}>
      <ProviderMark provider={provider} size={30} />
      {title}
    </span>
  )
  return (
    <Page title={title} heading={heading} parent={{ to: '/sign-in/credentials/new', name: 'All providers' }}>
      <Panel
        title="Callback URL"
        description={`Where ${providerInWords(provider)} sends persons back after they signed in there.`}
      >
        <ReserveCallback provider={provider} link={link} onReserved={setLink} />
      </Panel>
      <Columns>
        <Panel title={`At ${providerInWords(provider)}`}>
          <ProviderSteps provider={provider} />
        </Panel>
        <Panel title="What you got there">
          <NewCredentialForm provider={provider} link={link} />
        </Panel>
      </Columns>
    </Page>
  )
}
