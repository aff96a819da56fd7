import type { Application } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Badge } from '../design/badge.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { ApplicationCode } from './application-code.tsx'
import { ApplicationForm } from './application-form.tsx'
import { ApplicationLogouts } from './application-logouts.tsx'
import { ApplicationValues } from './application-values.tsx'
import { ClientSecrets } from './client-secrets.tsx'
import { DeleteApplication } from './delete-application.tsx'
import styles from './heading.module.css'
import { RotateSecret } from './rotate-secret.tsx'
import { useIssuer } from './use-issuer.ts'

const parent = { to: '/sign-in/applications', name: 'Applications' }

export function Component() {
  const { clientId = '' } = useParams()
  const application = useQuery({
    queryKey: ['getApplication', clientId],
    queryFn: ({ signal }) => signet.getApplication({ path: { client_id: clientId }, signal }),
    select: ({ result }) => result,
  })
  if (application.data) return <ApplicationPage key={clientId} application={application.data} />
  return (
    <Page title="Application" parent={parent}>
      <Panel>
        <Loaded query={application}>{() => null}</Loaded>
      </Panel>
    </Page>
  )
}

function ApplicationPage({ application }: { application: Application }) {
  const { name, confidential } = application
  const issuer = useIssuer()
  const heading = (
    <span className={styles.heading}>
      <ShortText>{name}</ShortText>
      <Badge>{confidential ? 'confidential' : 'public'}</Badge>
    </span>
  )
  return (
    <Page title={name} heading={heading} parent={parent} actions={<ChangesLink target={application.client_id} />}>
      <Panel title="What its library needs">
        <Loaded query={issuer}>{(issuer) => <ApplicationValues application={application} issuer={issuer} />}</Loaded>
      </Panel>
      <Panel
        title="Ready code"
        description="With the values of this application. Each library was tested as published."
      >
        <Loaded query={issuer}>{(issuer) => <ApplicationCode application={application} issuer={issuer} />}</Loaded>
      </Panel>
      <Panel title="Settings" description="A change takes effect for the next request of the application.">
        <ApplicationForm application={application} />
      </Panel>
      {confidential && <ClientSecrets application={application} />}
      {application.backchannel_logout_uri && <ApplicationLogouts clientId={application.client_id} />}
      <Panel title={confidential ? 'Rotate or delete' : 'Delete'}>
        <Row>
          {confidential && <RotateSecret application={application} />}
          <DeleteApplication application={application} />
        </Row>
      </Panel>
    </Page>
  )
}
