import { Page } from '../design/page.tsx'
import { ProviderCards } from './provider-cards.tsx'

export const Component = () => (
  <Page
    title="Add credential"
    lead="At which provider do persons sign in? A credential is the client ID and the client secret that it gives you."
    parent={{ to: '/sign-in', name: 'Credentials' }}
  >
    <ProviderCards pathOf={(provider) => `/sign-in/credentials/new/${provider}`} />
  </Page>
)
