#!/usr/bin/env node
// Agents' clients that were told of the command before have this file's name in their settings.
import "./edgemaker.cjs";
