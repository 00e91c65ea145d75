#!/usr/bin/env node
// Settings of agents' clients from earlier versions contain this file's name.
import "./edgemaker.cjs";
