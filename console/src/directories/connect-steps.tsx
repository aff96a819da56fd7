import type { ReactNode } from 'react'
import { Copyable } from '../design/copy.tsx'
import { Stack } from '../design/page.tsx'
import { Steps } from '../providers/provider-steps.tsx'
import type { Provider } from '../providers/providers.ts'

type ConnectStepsProps = {
  scimUrl: string
  /** By which its people sign in; its steps are open. */
  provider?: Provider | undefined
}

/** Where the SCIM address and the token go, by the names that the fields have there. The guides in docs/use say more. */
export const ConnectSteps = ({ scimUrl, provider }: ConnectStepsProps) => (
  <Stack>
    <Folded title="In Okta" isOpen={provider === 'provider_h'} steps={okta} />
    <Folded title="In Microsoft Entra ID" isOpen={provider === 'provider_g'} steps={entra(scimUrl)} />
  </Stack>
)

const Folded = ({ title, isOpen, steps }: { title: string; isOpen: boolean; steps: readonly ReactNode[] }) => (
  <details open={isOpen}>
    <summary>{title}</summary>
    <Steps steps={steps} />
  </details>
)

const okta = [
  'In the Admin Console, open Applications, then Browse App Catalog, and add “SCIM 2.0 Test App (OAuth Bearer Token)”. Hide it from users: nobody signs in there.',
  'Under Provisioning, Configure API Integration: “SCIM 2.0 Base Url” is the SCIM address, “OAuth Bearer Token” the token. Test API Credentials, and Save.',
  'Under Provisioning, To App: enable Create Users, Update User Attributes and Deactivate Users.',
  'Under Assignments, assign the people; under Push Groups, choose the groups.',
]

const entra = (scimUrl: string) => [
  'In the Microsoft Entra admin center, open Enterprise apps, New application, Create your own application, and choose the one that is not in the gallery.',
  <>
    Under Provisioning, New configuration: “Secret token” is the token, “Tenant URL” is{' '}
    <Copyable text={`${scimUrl}?aadOptscim062020`} of="Tenant URL" />. Test connection, and Create.
  </>,
  'Under Attribute mapping, for users, change the source of externalId from mailNickname to objectId. Otherwise nobody who signs in is the person whom the directory has made.',
  'Under Users and groups, assign both. Try one user with Provision on demand, then Start provisioning: it goes on every 40 minutes.',
]
