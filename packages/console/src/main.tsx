import './styles.css'
import { render } from 'preact'

import { App } from './app.tsx'
import { arrive } from './sign-in/page.tsx'

const root = document.getElementById('app')
if (root) void arrive().then(() => render(<App />, root))
