import { Page } from '../design/page.tsx'

export const Component = () => <Page title="Groups" />
